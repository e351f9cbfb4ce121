"""The book's labs. Each is one file: what it computes, how it is drawn, and its controls."""

from fairfl.labs.lab import Choice, Lab, Slider
from fairfl.labs.two_clients import TwoClients

__all__ = ["Choice", "Lab", "Slider", "TwoClients"]
