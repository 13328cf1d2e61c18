#!/bin/sh
# Writes the secrets of an installation, each into a file of a new folder, which only its owner can open:
#   deploy/make-secrets.sh <folder> [<host of PostgreSQL>[:<port>]]
set -eu

folder=${1:?"usage: make-secrets.sh <folder> [<host of PostgreSQL>[:<port>]]"}
host=${2:-127.0.0.1}

umask 077
# Fails where it exists: keys that are overwritten are lost, and with them what they encrypt.
mkdir "$folder"
cd "$folder"

password=$(openssl rand -hex 24)
printf '%s\n' "$password" >database-password
printf 'postgres://payin:%s@%s/payin\n' "$password" "$host" >database-url
printf 'k1:%s\n' "$(openssl rand -base64 32)" >encryption-keys
openssl rand -hex 32 >operator-token
# The folder keeps others out; in a container the files are read by another user.
chmod 0444 database-password database-url encryption-keys operator-token

echo "Made $folder. Keep a copy of encryption-keys elsewhere: nobody reads a backup without it."
