#!/bin/sh
# Creates a payment link once, and keeps it in a file, which exists only when it is complete. A second attempt has the same key.
set -e
. "$(dirname "$0")/client.sh"

if [ ! -f link.json ]; then
  create_link inv_7 -H 'Idempotency-Key: payment-link-inv_7' > link.json.part
  mv link.json.part link.json
fi
echo "inv_7 has a payment link: $(cat link.json)"
