"""Export scikit-learn's copy of the UCI handwritten digits to .npy files.

Needs numpy and scikit-learn; no network. Writes beside this script:
  images_train.npy  u8  [n_train, 64]  raw pixel values 0..16
  labels_train.npy  i32 [n_train]
  images_test.npy   f32 [n_test, 64]   pixel / 16, so 0..1 (exact in f32)
  labels_test.npy   i32 [n_test]

Split: image i (in the order scikit-learn gives) is held out when i % 4 == 3.
"""
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

HERE = Path(__file__).resolve().parent


def save(name, array, dtype):
    np.save(HERE / name, np.ascontiguousarray(array, dtype=dtype))


def main():
    digits = load_digits()
    pixels, labels = digits.data, digits.target
    assert pixels.shape == (1797, 64) and pixels.min() == 0 and pixels.max() == 16
    assert np.array_equal(pixels, np.round(pixels))

    held_out = np.arange(len(pixels)) % 4 == 3
    save("images_train.npy", pixels[~held_out], "u1")
    save("labels_train.npy", labels[~held_out], "<i4")
    save("images_test.npy", pixels[held_out] / 16.0, "<f4")
    save("labels_test.npy", labels[held_out], "<i4")
    print(f"train {np.sum(~held_out)}, held out {np.sum(held_out)}")


if __name__ == "__main__":
    main()
