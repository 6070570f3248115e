#!/bin/sh
# Creates a payment link once, and keeps it in a file.
set -e
. "$(dirname "$0")/client.sh"

if [ ! -f link.json ]; then
  create_link inv_7 > link.json
fi
echo "inv_7 has a payment link: $(cat link.json)"
