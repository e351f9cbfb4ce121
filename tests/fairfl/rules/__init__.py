"""Tests of the aggregation rules."""
