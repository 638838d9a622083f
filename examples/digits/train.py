"""Train the digits MLP, 64 -> 96 -> 10 with tanh-form GELU, using numpy only.

Reads the .npy files beside this script, trains on the training part alone and
writes w1.npy [64,96], b1.npy [96], w2.npy [96,10], b2.npy [10], all f32.
The held-out part is read once, after training, to report the accuracy.

To give the same bits on every run the arithmetic is FP64 with a fixed seed,
and matrix products go through einsum's own loops (optimize=False), which do
not depend on a BLAS library or on the number of threads.
"""
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
HIDDEN = 96
SEED = 1
EPOCHS = 200
BATCH = 64
LEARNING_RATE = 3e-3
WEIGHT_DECAY = 1e-2
LABEL_SMOOTHING = 0.05

C0 = 0.7978845608028654  # sqrt(2 / pi)
C1 = 0.044715


def load(name):
    return np.load(HERE / name)


def gelu(x):
    return 0.5 * x * (1.0 + np.tanh(C0 * (x + C1 * x**3)))


def gelu_slope(x):
    t = np.tanh(C0 * (x + C1 * x**3))
    return 0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * C0 * (1.0 + 3.0 * C1 * x * x)


def matmul(a, b):
    return np.einsum("ij,jk->ik", a, b, optimize=False)


def forward(params, x):
    w1, b1, w2, b2 = params
    pre = matmul(x, w1) + b1
    hidden = gelu(pre)
    return pre, hidden, matmul(hidden, w2) + b2


def gradients(params, x, target):
    """Gradients of the mean softmax cross-entropy for one batch."""
    pre, hidden, logits = forward(params, x)
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    d_logits = (p - target) / len(x)
    d_pre = matmul(d_logits, params[2].T) * gelu_slope(pre)
    return [matmul(x.T, d_pre), d_pre.sum(axis=0),
            matmul(hidden.T, d_logits), d_logits.sum(axis=0)]


def train(x, y):
    rng = np.random.default_rng(SEED)
    target = np.eye(10)[y] * (1.0 - LABEL_SMOOTHING) + LABEL_SMOOTHING / 10
    params = [rng.standard_normal((64, HIDDEN)) * np.sqrt(2.0 / 64), np.zeros(HIDDEN),
              rng.standard_normal((HIDDEN, 10)) * np.sqrt(1.0 / HIDDEN), np.zeros(10)]
    m = [np.zeros_like(p) for p in params]  # Adam's running moments
    v = [np.zeros_like(p) for p in params]
    steps = EPOCHS * -(-len(x) // BATCH)
    step = 0
    for _ in range(EPOCHS):
        order = rng.permutation(len(x))
        for start in range(0, len(x), BATCH):
            step += 1
            rate = LEARNING_RATE * 0.5 * (1.0 + np.cos(np.pi * step / steps))
            batch = order[start:start + BATCH]
            grads = gradients(params, x[batch], target[batch])
            for i, g in enumerate(grads):
                m[i] = 0.9 * m[i] + 0.1 * g
                v[i] = 0.999 * v[i] + 0.001 * g * g
                update = (m[i] / (1 - 0.9**step)) / (np.sqrt(v[i] / (1 - 0.999**step)) + 1e-8)
                decay = WEIGHT_DECAY if params[i].ndim == 2 else 0.0
                params[i] = params[i] - rate * update - decay * rate * params[i]
    return [np.ascontiguousarray(p, dtype="<f4") for p in params]


def accuracy(params, x, y):
    logits = forward([p.astype(np.float64) for p in params], x)[2]
    right = int(np.sum(logits.argmax(axis=1) == y))
    return f"{right} of {len(y)} right ({100.0 * right / len(y):.2f} %)"


def main():
    x_train, y_train = load("images_train.npy") / 16.0, load("labels_train.npy")
    params = train(x_train, y_train)
    for name, p in zip(("w1", "b1", "w2", "b2"), params):
        np.save(HERE / f"{name}.npy", p)
    print("training:", accuracy(params, x_train, y_train))
    x_test = load("images_test.npy").astype(np.float64)
    print("held out:", accuracy(params, x_test, load("labels_test.npy")))


if __name__ == "__main__":
    main()
