"""Makes the reader's models. Needs PyTorch and Pillow; the kit itself never imports it."""
