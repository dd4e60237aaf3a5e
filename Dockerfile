# SPDX-License-Identifier: GPL-2.0-only
# The README's two commands: building the image runs the demonstration, running it passes every test, without a
# network.
#     docker build -t iwarpsim . && docker run --rm iwarpsim
FROM debian:bookworm
WORKDIR /iwarpsim
COPY . .
RUN scripts/demo.sh
RUN scripts/setup.sh --install test
CMD ["scripts/test.sh"]
