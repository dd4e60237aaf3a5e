# SPDX-License-Identifier: GPL-2.0-only
# The README's two commands: building the image runs the demonstration, running it passes every test.
#     docker build -t iwarpsim . && docker run --rm iwarpsim
FROM debian:bookworm
WORKDIR /iwarpsim
COPY . .
RUN scripts/demo.sh
CMD ["scripts/test.sh"]
