"""Training runs, pupils and what is written of them: with PyTorch, which trainers alone have."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="for training only: docs/training.md")
pytest.importorskip("onnx", reason="for training only: docs/training.md")

import onnxruntime  # noqa: E402

from vision.training import run as running  # noqa: E402
from vision.training.distil import Lessons, Pupil, lesson_loss, teach_pupils  # noqa: E402
from vision.training.export import export_classifier, write_quick  # noqa: E402
from vision.training.nets import CROP_PX, Classifier, Quick, size_of  # noqa: E402
from vision.training.run import Run, averaged_weights, rate_share  # noqa: E402
from vision.training.shipped import shipped_net  # noqa: E402
from vision.training.train_classifier import SHRUNK_SHARE, shrunk  # noqa: E402


def line(seed: int = 1) -> torch.nn.Linear:
    torch.manual_seed(seed)
    return torch.nn.Linear(3, 2)


def taught(run: Run, steps: int) -> Run:
    generator = torch.Generator().manual_seed(run.done)
    for _ in range(steps):
        x = torch.randn(4, 3, generator=generator)
        run.learn((run.net(x) - x[:, :2]).square().mean())
    return run


def a_run(
    work: Path, *, steps: int = 20, net: torch.nn.Module | None = None, **more: object
) -> Run:
    return Run(net or line(), work, "net", steps=steps, rate=0.1, weight_decay=0.0, **more)


def test_a_run_that_was_broken_off_goes_on_where_it_was_kept(tmp_path: Path) -> None:
    first = taught(a_run(tmp_path, keep_every=7), 7)
    kept = {key: value.clone() for key, value in first.net.state_dict().items()}
    taught(first, 2)  # lost when the power fails here
    again = a_run(tmp_path, net=line(seed=2), keep_every=7)
    assert again.done == 7
    assert not again.over
    for key, value in again.net.state_dict().items():
        assert torch.equal(value, kept[key])
    taught(again, 13)
    assert again.over
    assert a_run(tmp_path).over  # what is done is not done again


def test_a_run_of_another_length_begins_anew(tmp_path: Path) -> None:
    taught(a_run(tmp_path), 20)
    assert a_run(tmp_path, steps=30).done == 0


def test_a_run_begins_with_the_averaged_weights_of_another(tmp_path: Path) -> None:
    taught(a_run(tmp_path), 20)
    other = Run(
        line(seed=5), tmp_path, "other", steps=5, rate=0.1, weight_decay=0, start_from="net"
    )
    for key, value in averaged_weights(tmp_path, "net").items():
        assert torch.equal(other.net.state_dict()[key], value)


def test_what_asks_for_no_gradient_stays_as_it_is(tmp_path: Path) -> None:
    net = torch.nn.Sequential(line(), torch.nn.Linear(2, 2))
    net[0].requires_grad_(False)
    before = net[0].weight.clone(), net[1].weight.clone()
    taught(a_run(tmp_path, net=net), 5)
    assert torch.equal(net[0].weight, before[0])
    assert not torch.equal(net[1].weight, before[1])


def test_minutes_end_a_run_by_the_clock_the_time_before_a_break_included(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr(running.time, "monotonic", lambda: clock[0])
    run = a_run(tmp_path, steps=1000, minutes=1, keep_every=2)
    clock[0] = 25.0  # it took so long to load what is to be taught
    taught(run, 1)
    clock[0] = 65.0
    taught(run, 1)
    assert not run.over
    clock[0] = 1000.0  # a pause
    again = a_run(tmp_path, steps=1000, minutes=1, keep_every=2)
    assert (again.done, again.spent_s) == (2, 40.0)
    taught(again, 1)
    assert not again.over
    clock[0] = 1021.0
    taught(again, 1)
    assert again.over


def test_the_rate_climbs_and_then_falls_to_a_hundredth() -> None:
    rates = [rate_share(k / 200) for k in range(201)]
    top = rates.index(max(rates))
    assert rates[:top] == sorted(rates[:top])
    assert rates[top:] == sorted(rates[top:], reverse=True)
    assert (rates[0], max(rates)) == (0.05, 1.0)
    assert rates[-1] == pytest.approx(0.01)


class SameCrops:
    """Stands in for the crops of scenes and photographs: noise, bright for one name of two."""

    def __init__(self, *_: object, **__: object) -> None:
        self.closed = False

    def batch(self, size: int, generator: torch.Generator) -> tuple[torch.Tensor, ...]:
        rank = torch.randint(0, 2, (size,), generator=generator)
        x = torch.rand(size, 3, *CROP_PX, generator=generator) * 0.3
        return x + 0.6 * rank[:, None, None, None], rank, rank

    def close(self) -> None:
        self.closed = True


def test_a_share_of_the_stored_crops_is_shown_as_from_further_away() -> None:
    generator = torch.Generator().manual_seed(3)
    x = torch.rand(40, 3, *CROP_PX, generator=generator)
    far = shrunk(x.clone(), generator)
    changed = ((far - x).abs().amax((1, 2, 3)) > 1e-6).nonzero()[:, 0]
    assert len(changed) == round(SHRUNK_SHARE * 40)
    for k in changed:  # each is still its own crop, what is fine in it gone
        assert (far[k] - x[k]).mean().abs() < 0.01
        assert far[k].std() < 0.6 * x[k].std()
    assert shrunk(x[:1].clone(), generator).shape == (1, 3, *CROP_PX)


def kept_teacher(work: Path, name: str, seed: int) -> Classifier:
    torch.manual_seed(seed)
    net = Classifier().eval()
    torch.save({"average": net.state_dict()}, work / f"{name}.pt")
    return net


def test_lessons_hold_the_mean_of_the_teachers_logits(tmp_path: Path) -> None:
    teachers = [kept_teacher(tmp_path, name, seed) for seed, name in enumerate("ab")]
    lessons = Lessons(SameCrops(), teachers, seed=3)
    x, _, _, ranks, suits = lessons._lot()
    said = [net(x.float() / 255) for net in teachers]
    assert torch.allclose(ranks, (said[0][0] + said[1][0]) / 2, atol=0.02)  # x is rounded
    assert torch.allclose(suits, (said[0][1] + said[1][1]) / 2, atol=0.02)
    shown, *goal = lessons.batch(12)
    assert shown.shape == (12, 3, *CROP_PX)
    assert [len(part) for part in goal] == [12] * 4
    bright = shown.mean((1, 2, 3)) > 0.45
    assert torch.equal(bright.long(), goal[0])  # each crop comes with its own name


def test_the_loss_is_least_for_who_says_what_the_teachers_say() -> None:
    taught_ranks, taught_suits = torch.randn(6, 16) * 4, torch.randn(6, 5) * 4
    goal = (taught_ranks.argmax(1), taught_suits.argmax(1), taught_ranks, taught_suits)
    same = lesson_loss((taught_ranks, taught_suits), goal)
    for _ in range(20):
        other = (taught_ranks + torch.randn(6, 16), taught_suits + torch.randn(6, 5))
        assert lesson_loss(other, goal) > same


def test_pupils_learn_side_by_side_and_go_on_where_they_stood(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("vision.training.distil.Crops", SameCrops)
    kept_teacher(tmp_path, "teacher", 1)

    def pupils() -> list[Pupil]:
        return [
            Pupil(name="small", kind=Quick, rate=3e-3),
            Pupil(name="large", kind=Classifier, rate=1e-3, every=2, frozen=3),
        ]

    paths = teach_pupils(tmp_path, pupils(), teachers=["teacher"], steps=8, batch=16)
    assert [path.name for path in paths] == ["small.pt", "large.pt"]
    done = [torch.load(path, weights_only=False)["done"] for path in paths]
    assert done == [8, 4]
    other = tmp_path / "other"
    other.mkdir()
    torch.random.manual_seed(99)  # what ran before is no matter: the run's own seed counts
    kept_teacher(other, "teacher", 1)
    again = teach_pupils(other, pupils(), teachers=["teacher"], steps=8, batch=16)
    for one, two in zip(paths, again, strict=True):
        mine, theirs = (torch.load(path, weights_only=False)["net"] for path in (one, two))
        assert all(torch.equal(mine[key], theirs[key]) for key in mine)
    torch.manual_seed(81)
    Quick()  # the first pupil is made before the second
    fresh = Classifier().state_dict()
    large = torch.load(paths[1], weights_only=False)["net"]
    assert torch.equal(large["body.2.0.weight"], fresh["body.2.0.weight"])  # frozen
    assert not torch.equal(large["body.3.0.weight"], fresh["body.3.0.weight"])
    capsys.readouterr()
    teach_pupils(tmp_path, pupils(), teachers=["teacher"], steps=8, batch=16)
    assert "small: 219629 parameters, from step 8" in capsys.readouterr().out


@pytest.mark.parametrize("kind", [Classifier, Quick])
def test_a_file_of_short_floats_answers_as_the_net(kind: type, tmp_path: Path) -> None:
    torch.manual_seed(4)
    net = kind()
    for _ in range(3):  # the normalisation has seen something
        net(torch.rand(8, 3, *CROP_PX))
    net.eval()
    path = tmp_path / "net.onnx"
    export_classifier(net, path, none_bias=0.5)
    assert path.stat().st_size < 2.05 * size_of(net) + 4000
    x = torch.rand(5, 3, *CROP_PX)
    rank, suit = onnxruntime.InferenceSession(path).run(["rank", "suit"], {"crops": x.numpy()})
    with torch.no_grad():
        ranks, suits = net(x)
    ranks[:, -1] += 0.5
    assert np.allclose(rank, ranks.numpy(), atol=5e-3)
    assert np.allclose(suit, suits.numpy(), atol=5e-3)


def test_a_net_is_made_again_from_a_file_of_short_floats(tmp_path: Path) -> None:
    torch.manual_seed(4)
    net = Classifier()
    seen = torch.rand(32, 3, *CROP_PX)
    net(seen)
    path = tmp_path / "net.onnx"
    export_classifier(net.eval(), path)
    again = shipped_net(Classifier(), path, seen).eval()
    x = torch.rand(5, 3, *CROP_PX)
    with torch.no_grad():
        for mine, theirs in zip(again(x), net(x), strict=True):
            assert torch.allclose(mine, theirs, atol=1e-2)


def test_the_quick_net_is_written_under_its_name(tmp_path: Path) -> None:
    torch.save({"average": Quick().state_dict()}, tmp_path / "pupil.pt")
    path = write_quick(tmp_path, tmp_path, name="pupil", none_bias=0.5)
    assert path.name == "quick.onnx"
    assert path.stat().st_size < 460_000
