"""The texts of the policy ``shapes``: what they mean, that they are read back, and those that are refused."""

import pytest

from thinktime.models.policies import from_spec

EASY = "easy:order=fcfs,reservations=1"


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("shapes", f"shapes:base={EASY}"),
        ("shapes:size=largest,expand=best,shrink=least,to=preferred",
         f"shapes:size=largest,expand=best,shrink=least,to=preferred,base={EASY}"),
        ("shapes:size=preferred,expand=none", f"shapes:base={EASY}"),
        ("shapes:share=equal", "shapes:share=equal,base=none:order=fcfs"),
        ("shapes:base=sjf", "shapes:base=none:order=sjf"),
        ("shapes:size=min,base=easy:order=sjf,reservations=2", "shapes:size=min,base=easy:order=sjf,reservations=2"),
        ("shapes:size=earliest,base=conservative-dynamic",
         "shapes:size=earliest,base=conservative-dynamic:order=fcfs"),
    ],
)  # fmt: skip
def test_texts_are_read_back(text: str, whole: str) -> None:
    """Options that are as usual are left out, and what stands behind ``base=`` is the policy in the middle."""
    assert str(from_spec(text)) == whole
    assert str(from_spec(whole)) == whole


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("size=larg", "size is 'larg', but must be one of preferred, min, max, average, largest, earliest"),
        ("expand=newest", "expand is 'newest', but must be one of none, oldest, smallest, best"),
        ("shrink=most", "shrink is 'most', but must be one of none, latest, largest, least"),
        ("to=max", "to is 'max', but must be one of preferred, min"),
        ("share=fair", "share is 'fair', but must be one of none, equal, pool"),
        ("grow=oldest", "there is no option 'grow'; its options are: size, expand, shrink, to, share, base"),
        ("expand", "'expand' is not an option; options are key=value, separated by commas"),
        ("size=max,size=min", "the option 'size' is given twice"),
        ("share=equal,expand=oldest",
         "with share, jobs are admitted in queue order (base=none) and have their shares; give no expand"),
        ("share=pool,base=easy",
         "with share, jobs are admitted in queue order (base=none) and have their shares; give no other base"),
        ("base=recorded", "base cannot be 'recorded', which plans with sizes that do not change; it can be none, "
                          "no-guarantee, easy, conservative, conservative-dynamic"),
        ("base=shapes", "sizes are chosen once; give a base without shapes"),
        ("base=easi", "there is no policy 'easi'; did you mean 'easy'?"),
        ("base=easy,size=max", "what stands behind base= is the policy in the middle; write size=max before it"),
        ("to=preferred,expand=oldest", "to=preferred says how far jobs shrink for the head of the queue; give shrink "
                                       "as well, such as shrink=latest"),
        ("size=largest,base=conservative", "size=largest is chosen anew in every pass, and conservative keeps its "
                                           "reservations; give base=conservative-dynamic"),
        ("base=conservative:compress=none", "around conservative, shapes needs compress=completion, not none"),
        ("base=easy:runtime_limit=1h", "base cannot have a runtime limit: a segment of a job would begin again"),
        ("base=carbon", "base cannot hold jobs back or send them away: write carbon:…,base=shapes:…, without preempt"),
    ],
)  # fmt: skip
def test_other_texts_are_refused_with_a_sentence(text: str, sentence: str) -> None:
    """What is wrong, and what would be right."""
    with pytest.raises(ValueError) as error:
        from_spec(f"shapes:{text}")
    assert str(error.value).partition("': ")[2] == sentence
