#!/bin/sh
# Replaces the payment link of an invoice, if it has one.
set -e
. "$(dirname "$0")/client.sh"

found=$(call "$links?invoice=inv_7&status=active")
link=$(echo "$found" | ids)
if [ -z "$link" ]; then
  echo 'inv_7 has no link to replace'
  exit
fi
call -X POST "$links/$link/cancel"
create_link inv_7
