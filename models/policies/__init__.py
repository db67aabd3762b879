"""Policies: an order (who is next) with a rule (who may pass whom), and the special ones, each in a file of its own.

``Easy(order="lxf")`` is ``from_spec("easy:order=lxf")``. `base.Policy` has the hooks for a policy of your own.
"""

from thinktime.models.orders.accounts import AccountOrder, Accounts, accounts_of
from thinktime.models.orders.fairshare import fairshare
from thinktime.models.orders.multifactor import multifactor, weighted
from thinktime.models.orders.named_orders import ORDERS, as_order, composed
from thinktime.models.orders.order import Order, scalar, vector
from thinktime.models.orders.relshare import relshare
from thinktime.models.policies.agents.agent import Agent
from thinktime.models.policies.backfilling import Easy, NoGuarantee, Strict
from thinktime.models.policies.base import Policy
from thinktime.models.policies.conservative import Conservative, ConservativeDynamic
from thinktime.models.policies.cplant.policy import SCHEDULERS, CPlant
from thinktime.models.policies.creasy import Creasy
from thinktime.models.policies.ostrich.faircamp import FairCamp
from thinktime.models.policies.ostrich.ostrich import OStrich, OStrichSlurm
from thinktime.models.policies.queue_policy import QueuePolicy
from thinktime.models.policies.recorded import Recorded
from thinktime.models.policies.search.tradeoff import Tradeoff, TradeoffFs
from thinktime.models.policies.shapes.policy import Shapes
from thinktime.models.policies.slack import Slack
from thinktime.models.policies.spec import as_policy, catalogue, from_spec
from thinktime.workloads.lazy import import_on_demand

__all__ = [
    "ORDERS", "SCHEDULERS", "AccountOrder", "Accounts", "Agent", "CPlant", "Conservative", "ConservativeDynamic",
    "Creasy", "Easy", "FairCamp", "NoGuarantee", "OStrich", "OStrichSlurm", "Order", "Policy",
    "QueuePolicy", "Recorded", "Shapes", "Slack", "Strict", "Tradeoff", "TradeoffFs", "accounts_of", "as_order",
    "as_policy", "catalogue", "composed", "fairshare", "from_spec", "multifactor", "relshare", "scalar", "vector",
    "weighted",
]  # fmt: skip

import_on_demand(__name__)
