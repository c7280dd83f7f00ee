"""Learned players: self-play, training and networks (requires `teahouse[learn]`)."""

from teahouse.core.extras import extra

with extra("learn", "teahouse.learn"):
    import onnx  # noqa: F401
    import torch  # noqa: F401
