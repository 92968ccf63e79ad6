using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "hello", worker = .hello)],
  sockets = [(name = "http", http = (), service = "hello")],
);

const hello :Workerd.Worker = (
  modules = [(name = "hello", esModule = embed "hello.js")],
  compatibilityDate = "2022-09-26",
);
