# Node 24.21.0 on Debian 12, the only base. The digest makes each build use the same one.
ARG NODE_IMAGE=node:24-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json .build.js ./
COPY .build ./.build
COPY src ./src
RUN npm run build

# Nothing is installed: the files of dist hold whatever they use.
FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="paylink-mock" \
      org.opencontainers.image.description="An in-memory mock server of a subscription-management API: users, and payment links." \
      org.opencontainers.image.licenses="MIT"
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=build /app/dist ./dist
COPY fixtures ./fixtures

# Loopback would be out of reach from outside the container. Beyond it the control API asks for a token.
ENV NODE_ENV=production PAYLINK_MOCK_HOST=0.0.0.0
EXPOSE 4600

# The files belong to root and nothing is written: a read-only file system and no capabilities are enough.
# The user `node`, by number: Kubernetes cannot tell that a name is not root.
USER 1000:1000

# Our own command, since the slim base has no curl. It follows the flags and variables of the running mock.
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "/app/dist/cli/cli.js", "health"]

# Exec form: node is PID 1 and gets SIGTERM itself, and flags given to `docker run` reach it.
ENTRYPOINT ["node", "/app/dist/cli/cli.js"]
