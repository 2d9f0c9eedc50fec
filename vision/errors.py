"""The root of every error vision raises."""


class VisionError(Exception):
    """A picture, a clip, a model or a layout is not as it must be."""
