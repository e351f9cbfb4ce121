"""Property tests for aggregation rules: the tests of this package's own rules, for a rule of your own.

``check_rule`` runs all of them on one rule. ``parametrize_with_properties`` makes one pytest test per rule and
property. ``PROPERTIES`` lists the names. Some properties are owed by every rule, for example that the order of clients
does not matter. Others are promised by some rules only, for example that no client's loss rises to first order.

Input: a rule, the names of what it promises, and what it is expected to fail. Output: nothing, or ``PropertyFailed``
with the smallest round that was found, ready to paste. Nothing in the package imports this subpackage.
"""

from fairfl.testing.check import check_rule
from fairfl.testing.failure import PropertyFailed
from fairfl.testing.properties import PROPERTIES
from fairfl.testing.pytest_tests import parametrize_with_properties

__all__ = ["PROPERTIES", "PropertyFailed", "check_rule", "parametrize_with_properties"]
