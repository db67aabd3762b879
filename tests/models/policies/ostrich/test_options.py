"""Options of the campaign policies: their texts, and the sentences for what they cannot be."""

import math

import pytest

import thinktime as tt
from thinktime.models.policies import from_spec

NAMES = {"ostrich": tt.policies.OStrich, "ostrich-slurm": tt.policies.OStrichSlurm, "faircamp": tt.policies.FairCamp}


@pytest.mark.parametrize("policy", [tt.policies.OStrich, tt.policies.OStrichSlurm])
@pytest.mark.parametrize(
    "shares, words",
    [
        ({"ada": 0}, "share of 'ada' is 0"),
        ({"ada": -2.0}, "share of 'ada' is -2.0"),
        ({"ada": math.inf}, "share of 'ada' is inf"),
        ({"ada": math.nan}, "share of 'ada' is nan"),
        ("ada", "'ada' is not of the form USER"),
        ("ada*much", "is not of the form USER"),
        (["ada*1", "bob"], "'bob' is not of the form USER"),
    ],
)
def test_shares_are_numbers_above_zero(policy, shares, words):
    """The message names the user or the text."""
    with pytest.raises(ValueError, match=words):
        policy(shares=shares)


@pytest.mark.parametrize("name", ["ostrich", "ostrich-slurm"])
def test_shares_in_a_text_are_those_of_a_dictionary(name):
    """``USER*WEIGHT`` joined by ``+``; a user who is a number has the share under the number as well."""
    assert from_spec(f"{name}:shares=ada*2+7*0.5").shares == {"ada": 2, "7": 0.5, 7: 0.5}
    assert from_spec(f"{name}:shares=ada*2").shares == NAMES[name](shares={"ada": 2}).shares


def test_the_slurm_variant_has_its_own_defaults():
    """The SLURM variant defaults to shortest first and 600 s."""
    assert tt.policies.OStrichSlurm().options()["within"] == "spt"
    assert tt.policies.OStrichSlurm().threshold == 600
