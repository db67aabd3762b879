"""Options of the campaign policies: their texts, and the sentences for what they cannot be."""

import math

import pytest

import thinktime as tt
from thinktime.models.policies import from_spec

NAMES = {"ostrich": tt.policies.OStrich, "ostrich-slurm": tt.policies.OStrichSlurm, "faircamp": tt.policies.FairCamp}


@pytest.mark.parametrize("policy", NAMES.values())
@pytest.mark.parametrize(
    "option, value, words",
    [
        ("within", "longest", "within is 'longest', but must be one of lpt, spt, fcfs, mlpt"),
        ("backfilling", "conservative", "backfilling is 'conservative', but must be one of easy, none"),
        ("threshold", -1, "threshold is -1, but must be at least 0 s"),
        ("threshold", math.nan, "threshold is nan"),
    ],
)
def test_an_impossible_option_is_refused_with_its_name_and_value(policy, option, value, words):
    """One sentence says which option, what it is and what it may be."""
    with pytest.raises(ValueError, match=words):
        policy(**{option: value})


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


@pytest.mark.parametrize("option", ["corrected", "held_back"])
def test_a_switch_of_ostrich_is_yes_or_no(option):
    """A switch takes yes or no, and refuses anything else."""
    with pytest.raises(ValueError, match=f"{option} is 'perhaps', but must be yes or no"):
        tt.policies.OStrich(**{option: "perhaps"})


@pytest.mark.parametrize("rho", [0, -1, math.nan])
def test_rho_of_faircamp_is_above_zero(rho):
    """FairCamp's rho must be above 0."""
    with pytest.raises(ValueError, match=r"rho is .*, but must be above 0"):
        tt.policies.FairCamp(rho=rho)


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_option_in_a_text_is_answered_with_the_known_ones(name):
    """The policy's text and its options stand in the message."""
    words = rf"policy '{name}:speed=2': there is no option 'speed'; .*within, .*threshold"
    with pytest.raises(ValueError, match=words):
        from_spec(f"{name}:speed=2")


@pytest.mark.parametrize(
    "text, cls",
    [
        ("ostrich", tt.policies.OStrich),
        ("ostrich:within=spt,backfilling=none,threshold=600", tt.policies.OStrich),
        ("ostrich:corrected=yes,held_back=no", tt.policies.OStrich),
        ("ostrich-slurm:within=lpt,threshold=900", tt.policies.OStrichSlurm),
        ("faircamp:rho=2", tt.policies.FairCamp),
    ],
)
def test_a_policys_text_makes_the_same_policy(text, cls):
    """The text of a policy, read again, has the same text."""
    policy = from_spec(text)
    assert type(policy) is cls
    assert str(from_spec(str(policy))) == str(policy)
    assert all(option in str(policy) for option in text.partition(":")[2].split(","))


@pytest.mark.parametrize("name", ["ostrich", "ostrich-slurm"])
def test_shares_in_a_text_are_those_of_a_dictionary(name):
    """``USER*WEIGHT`` joined by ``+``; a user who is a number has the share under the number as well."""
    assert from_spec(f"{name}:shares=ada*2+7*0.5").shares == {"ada": 2, "7": 0.5, 7: 0.5}
    assert from_spec(f"{name}:shares=ada*2").shares == NAMES[name](shares={"ada": 2}).shares


def test_the_slurm_variant_has_its_own_defaults():
    """The SLURM variant defaults to shortest first and 600 s."""
    assert tt.policies.OStrichSlurm().options()["within"] == "spt"
    assert tt.policies.OStrichSlurm().threshold == 600
