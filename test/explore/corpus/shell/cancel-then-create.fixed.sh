#!/bin/sh
# Replaces the payment link of an invoice, if it has one. A file says that the old link is being replaced.
set -e
. "$(dirname "$0")/client.sh"

if [ ! -f replacing ]; then
  found=$(call "$links?invoice=inv_7&status=active")
  echo "$found" | ids > replacing.part
  mv replacing.part replacing
fi
if [ ! -s replacing ]; then
  echo 'inv_7 has no link to replace'
  exit
fi
link=$(cat replacing)
old=$(call "$links/$link")
case $old in
  *'"completed"'*) echo 'inv_7 is paid'; exit ;;
  *'"active"'*) call -X POST "$links/$link/cancel" ;;
esac
create_link inv_7 -H "Idempotency-Key: replacement-of-$link"
