#!/bin/sh
# Writes the secrets of an installation, one file each, into a new folder that only its owner can open:
#   deploy/make-secrets.sh <folder> [<host of PostgreSQL>[:<port>]]
set -eu

folder=${1:?"usage: make-secrets.sh <folder> [<host of PostgreSQL>[:<port>]]"}
host=${2:-127.0.0.1}

umask 077
# Fails if the folder exists: overwritten keys are lost, and with them what they encrypt.
mkdir "$folder"
cd "$folder"

password=$(openssl rand -hex 24)
printf '%s\n' "$password" >database-password
printf 'postgres://payin:%s@%s/payin\n' "$password" "$host" >database-url
printf 'k1:%s\n' "$(openssl rand -base64 32)" >encryption-keys
openssl rand -hex 32 >operator-token
# The folder keeps others out; in a container another user reads the files.
chmod 0444 database-password database-url encryption-keys operator-token

echo "Made $folder. Keep a copy of encryption-keys elsewhere: nobody reads a backup without it."
