# A worker. To run your own agents: mount them, and name their configuration with --config.
FROM node:24-slim
# The native part of Temporal's SDK takes its root certificates from the system.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
# A named volume takes its owner from here.
RUN mkdir /app /data && chown node:node /app /data
WORKDIR /app
USER node
COPY --chown=node:node . .
RUN npm ci --no-audit --no-fund
# `npx holdfast worker`, with nothing in between that might keep SIGTERM from it.
ENTRYPOINT ["node", "bin/holdfast.js"]
CMD ["worker", "--config", "examples/hello/holdfast.config.ts", "--host", "0.0.0.0", "--health-port", "8080", "--metrics-port", "9464", "--grace", "25s"]
