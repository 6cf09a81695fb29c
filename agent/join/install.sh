#!/bin/sh
# Installs the agent of a cluster on this machine and enrols it. What it needs to know of the control plane was filled in
# when it was served. Everything is in one function that the last line calls: a download that was cut off does nothing.
ballast_install() {
set -u
umask 077
: BALLAST_DATA

trust= home= driver=auto docker_socket= ingress_port=8089 ingress_listen=127.0.0.1 ca_file= use_systemd=yes draft= made= done=

say() { printf '%s\n' "$*"; }
refuse() { printf 'ballast-install: %s\n' "$*" >&2; exit 1; }

# What was made goes away again, unless all of it succeeded. agent.json stays if it is there: it holds the credential of an
# enrolment whose answer was lost, and another attempt with the same token goes on with it.
clean_up() {
  [ -z "$draft" ] || rm -rf "$draft"
  [ -z "$done" ] || return 0
  for path in $made; do rm -rf "$path"; done
  [ -z "$home" ] || rmdir "$home/releases" "$home/run" "$home" 2>/dev/null
}
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

while [ $# -gt 0 ]; do
  option=$1
  case $option in
    --no-systemd) use_systemd=; shift; continue ;;
    --help | -h)
      say 'Options: --trust FINGERPRINT --home DIRECTORY --driver auto|process|docker --docker-socket PATH --ingress-port PORT --ingress-listen ADDRESS --ca-file PATH --no-systemd'
      say 'The enrolment token is read from standard input.'
      done=yes
      exit 0
      ;;
    --trust | --home | --driver | --docker-socket | --ingress-port | --ingress-listen | --ca-file) ;;
    *) refuse "There is no option $option; see --help." ;;
  esac
  [ $# -ge 2 ] && [ -n "$2" ] || refuse "$option wants a value."
  case $option in
    --trust) trust=$2 ;;
    --home) home=$2 ;;
    --driver) driver=$2 ;;
    --docker-socket) docker_socket=$2 ;;
    --ingress-port) ingress_port=$2 ;;
    --ingress-listen) ingress_listen=$2 ;;
    --ca-file) ca_file=$2 ;;
  esac
  shift 2
done

is_root=
[ "$(id -u)" -ne 0 ] || is_root=yes
if [ -z "$home" ]; then
  if [ -n "$is_root" ]; then home=/var/lib/ballast-agent; else home=${HOME:-}/.local/share/ballast-agent; fi
fi
case $home in
  /*) ;;
  *) home=$(pwd -P)/$home ;;
esac
home=${home%/}
for path in "$home" "$ca_file" "$docker_socket"; do
  case $path in
    *[!A-Za-z0-9_./-]*) unsafe=$path; home=; refuse "The path $unsafe holds other characters than letters, digits and _ . / -; choose another one." ;;
  esac
done
case $docker_socket in '' | /*) ;; *) home=; refuse "The Docker socket $docker_socket is no absolute path, such as /run/user/1000/docker.sock." ;; esac
case $driver in auto | process | docker) ;; *) home=; refuse "There is no driver $driver; choose auto, process or docker." ;; esac
case $ingress_port in '' | *[!0-9]* | ??????*) home=; refuse 'The ingress port must be a number.' ;; esac
case $ingress_listen in *[!0-9a-fA-F.:]*) home=; refuse 'The address to listen on must be an IP address.' ;; esac

case $url in
  https://*) ;;
  http://localhost | http://localhost[:/]* | http://*.localhost | http://*.localhost[:/]* | http://127.* | http://\[::1\]*) ;;
  *) home=; refuse "$url would carry the credential in clear; the control plane must be reached by https." ;;
esac

case $(uname -s) in
  Linux) os=linux ;;
  Darwin) os=darwin ;;
  *) home=; refuse "The agent runs on Linux and macOS, and this is $(uname -s)." ;;
esac
case $(uname -m) in
  x86_64 | amd64) arch=x64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *) home=; refuse "The agent runs on x86-64 and arm64, and this is $(uname -m)." ;;
esac

if command -v curl >/dev/null 2>&1; then fetcher=curl
elif wget --version 2>/dev/null | grep -q 'GNU Wget'; then fetcher=wget
else home=; refuse 'Neither curl nor GNU wget is there; install curl.'
fi
if command -v sha256sum >/dev/null 2>&1; then sha256() { sha256sum <"$1" | cut -d ' ' -f 1; }
elif command -v shasum >/dev/null 2>&1; then sha256() { shasum -a 256 <"$1" | cut -d ' ' -f 1; }
else home=; refuse 'Neither sha256sum nor shasum is there; install coreutils.'
fi
case $trust in
  '') home=; refuse 'The command names no key to trust (--trust); make a new install command in the console or by ballast cluster token.' ;;
  *[!0-9a-f]*) home=; refuse 'The fingerprint behind --trust is none; copy the whole install command again.' ;;
esac
command -v tar >/dev/null 2>&1 || { home=; refuse 'There is no tar here; install it.'; }
command -v gzip >/dev/null 2>&1 || { home=; refuse 'There is no gzip here; install it.'; }

# The token is never an argument of a program: those can be read by everybody on the machine.
token=
IFS= read -r token || [ -n "$token" ] || { home=; refuse 'There is no enrolment token on standard input; run the whole install command.'; }
case $token in
  '' | *[!A-Za-z0-9_.-]*) home=; refuse 'The enrolment token is empty or malformed; copy the whole install command again.' ;;
esac

fetch() {
  if [ "$fetcher" = curl ]; then
    printf 'header = "Authorization: Bearer %s"\n' "$token" |
      curl -q -fsS --connect-timeout 15 --max-time 900 --retry 3 --max-filesize "$3" ${ca_file:+--cacert "$ca_file"} -K - -o "$2" "$1"
  else
    printf 'header = Authorization: Bearer %s\n' "$token" >"$draft/wgetrc"
    wget --config="$draft/wgetrc" -q --max-redirect=0 --timeout=30 --tries=3 ${ca_file:+--ca-certificate="$ca_file"} -O "$2" "$1"
  fi
}

new_enough() {
  [ -n "$1" ] && [ -x "$1" ] &&
    "$1" -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 22 || (a === 22 && b >= 18) ? 0 : 1)' 2>/dev/null
}

# Which program verifies signatures: a Node that is here, else OpenSSL 3.
verifier=
find_verifier() {
  for candidate in "${BALLAST_NODE:-}" "$home/runtime/node" "$(command -v node 2>/dev/null)"; do
    if new_enough "$candidate"; then verifier=$candidate; return; fi
  done
  case $(openssl version 2>/dev/null) in
    'OpenSSL '[3-9]* | 'OpenSSL '[1-9][0-9]*) verifier=openssl ;;
    *) home=; refuse 'Nothing here can verify the signature of the agent; install Node 22.18 or newer, or OpenSSL 3.' ;;
  esac
}

# The public key in binary, and whether it has signed this very text.
decoded_key() {
  if [ "$verifier" = openssl ]; then printf %s "$key" | openssl base64 -d -A
  else "$verifier" -e 'process.stdout.write(Buffer.from(process.argv[1], "base64"))' "$key"
  fi
}
signed_by_key() {
  if [ "$verifier" = openssl ]; then
    printf '%s\n' '-----BEGIN PUBLIC KEY-----' "$key" '-----END PUBLIC KEY-----' >"$draft/key.pem"
    printf %s "$1" >"$draft/statement"
    printf %s "$2" | openssl base64 -d -A >"$draft/signature"
    openssl pkeyutl -verify -pubin -inkey "$draft/key.pem" -rawin -in "$draft/statement" -sigfile "$draft/signature" >/dev/null 2>&1
  else
    "$verifier" -e 'const { createPublicKey, verify } = require("node:crypto");
      const [statement, signature, key] = process.argv.slice(1);
      const der = createPublicKey({ key: Buffer.from(key, "base64"), format: "der", type: "spki" });
      process.exit(verify(null, Buffer.from(statement), der, Buffer.from(signature, "base64")) ? 0 : 1)' "$1" "$2" "$key" 2>/dev/null
  fi
}

# What a signed statement says; its form is that of the key's owner and nobody else's.
said_in() { printf %s "$2" | sed -n 's/.*"'"$1"'":"\{0,1\}\([A-Za-z0-9:._-]*\).*/\1/p'; }
digest_in() { said_in digest "$1" | sed 's/^sha256://'; }

start_agent() {
  options="--driver $driver ${docker_socket:+--docker-socket $docker_socket }--ingress-port $ingress_port --ingress-listen $ingress_listen"
  if [ -n "$use_systemd" ] && [ -n "$is_root" ] && [ -d /run/systemd/system ]; then
    unit=ballast-agent
    [ "$home" = /var/lib/ballast-agent ] || unit=ballast-agent-$(printf %s "$home" | cksum | cut -d ' ' -f 1)
    cat >"/etc/systemd/system/$unit.service.new" <<UNIT
[Unit]
Description=Ballast agent ($home)
After=network-online.target
Wants=network-online.target

[Service]
ExecStart=/bin/sh $home/launcher.sh $home $options
# What the agent runs goes on without it.
KillMode=process
Restart=always
RestartSec=1
RestartPreventExitStatus=64 65 66

[Install]
WantedBy=multi-user.target
UNIT
    chmod 644 "/etc/systemd/system/$unit.service.new"
    mv -f "/etc/systemd/system/$unit.service.new" "/etc/systemd/system/$unit.service"
    systemctl daemon-reload && systemctl enable --quiet "$unit" && systemctl restart "$unit" ||
      refuse "systemd does not start the agent; see: systemctl status $unit"
    say "systemd runs it: systemctl status $unit"
  else
    detach=nohup
    ! command -v setsid >/dev/null 2>&1 || detach='setsid nohup'
    # shellcheck disable=SC2086
    $detach sh "$home/launcher.sh" "$home" $options </dev/null >>"$home/run/agent.log" 2>&1 &
    say "There is no systemd to start it after a reboot; have this run then:"
    say "  $detach sh $home/launcher.sh $home $options </dev/null >>$home/run/agent.log 2>&1 &"
  fi
}

await_contact() {
  left=60
  while [ "$left" -gt 0 ]; do
    if "$1" agent status --home "$home" 2>/dev/null; then return 0; fi
    sleep 0.5
    left=$((left - 1))
  done >"$home/run/installed" 2>/dev/null
  return 1
}

if [ -f "$home/agent.json" ] && grep -q '"cluster"' "$home/agent.json"; then
  done=yes
  name=$(sed -n 's/^ *"name": "\(.*\)".*$/\1/p' "$home/agent.json")
  joined=$(sed -n 's/^ *"url": "\(.*\)".*$/\1/p' "$home/agent.json")
  [ "${joined%/}" = "${url%/}" ] ||
    refuse "This machine is enrolled already, for the cluster $name of $joined; \`ballast agent leave\` makes it forget that, and --home installs another agent."
  say "This machine is enrolled already, for the cluster $name of $url."
  current=$(sed -n 's/^current=//p' "$home/releases/state")
  "$home/releases/$current/ballast" agent status --home "$home" >/dev/null 2>&1 || start_agent
  exit 0
fi

say "Installing the agent $version of $url into $home."
mkdir -p "$home/releases" "$home/run" || refuse "$home cannot be made; choose another directory by --home."
chmod 711 "$home"
draft=$(mktemp -d "$home/install.XXXXXX") || refuse "Nothing can be written to $home."

find_verifier
decoded_key >"$draft/key.der" && [ "$(sha256 "$draft/key.der")" = "$trust" ] ||
  refuse 'The control plane signs with another key than the one that the command names; make a new install command, and compare its fingerprint with the one of ./ballast agent sign. Nothing was installed.'
case $statement in '{"kind":"agent",'*) ;; *) refuse 'The control plane offers something else than an agent; nothing was installed.' ;; esac
signed_by_key "$statement" "$signature" || refuse 'The release is not signed by the key that the command names; nothing was installed.'
case $(said_in platform "$statement") in any | "$os-$arch") ;; *) refuse "The release is for another platform than $os-$arch; nothing was installed." ;; esac
digest=$(digest_in "$statement")

fetch "$url/agent/v1/bundles/sha256:$digest" "$draft/bundle" "$size" ||
  refuse 'The release cannot be downloaded: the token is unknown, used or expired, or the control plane cannot be reached; make a new token and try again.'
[ "$(sha256 "$draft/bundle")" = "$digest" ] || refuse 'The downloaded release is not the one that was signed; nothing was installed.'
release=$(printf %s "$digest" | cut -c 1-12)
if [ ! -f "$home/releases/$release/digest" ]; then
  mkdir "$draft/release" && gzip -dc <"$draft/bundle" | tar -xf - -C "$draft/release" || refuse 'The release cannot be unpacked; is the disk full?'
  printf 'sha256:%s\n' "$digest" >"$draft/release/digest"
  chmod -R go+rX "$draft/release"
  rm -rf "$home/releases/$release"
  made="$made $home/releases/$release"
  mv "$draft/release" "$home/releases/$release"
fi

if ! new_enough "${BALLAST_NODE:-}" && ! new_enough "$home/runtime/node" && ! new_enough "$(command -v node 2>/dev/null)"; then
  case $runtime_statement in '{"kind":"runtime",'*) runtime_platform=$(said_in platform "$runtime_statement") ;; *) runtime_platform= ;; esac
  [ "$runtime_platform" = "$os-$arch" ] ||
    refuse "The agent needs Node 22.18 or newer, and the control plane has none for $os-$arch; install it from https://nodejs.org and try again."
  signed_by_key "$runtime_statement" "$runtime_signature" || refuse "The control plane's Node is not signed by the key that the command names; install Node 22.18 or newer from https://nodejs.org and try again."
  runtime_digest=$(digest_in "$runtime_statement")
  say 'Downloading Node from the control plane.'
  fetch "$url/agent/v1/runtime" "$draft/node" "$runtime_size" || refuse 'Node cannot be downloaded from the control plane; install it from https://nodejs.org and try again.'
  [ "$(sha256 "$draft/node")" = "$runtime_digest" ] || refuse 'The downloaded Node is not the one that was signed; nothing was installed.'
  chmod 755 "$draft/node"
  new_enough "$draft/node" || refuse "The control plane's Node does not run on this machine; install Node 22.18 or newer from https://nodejs.org and try again."
  made="$made $home/runtime"
  mkdir -p "$home/runtime" && chmod 755 "$home/runtime" && mv "$draft/node" "$home/runtime/node"
fi

program=$home/releases/$release/ballast
[ -f "$home/trust.json" ] || made="$made $home/trust.json"
printf '%s\n' "$token" >"$draft/token"
"$program" agent join --home "$home" --url "$url" --token-file "$draft/token" --trust "$trust" --epoch "$(said_in epoch "$statement")" ${ca_file:+--ca-file "$ca_file"} || refuse 'This machine was not enrolled; nothing was installed.'
done=yes

cp "$home/releases/$release/launcher.sh" "$draft/launcher.sh" && mv -f "$draft/launcher.sh" "$home/launcher.sh"
printf 'current=%s\n' "$release" >"$draft/state" && mv -f "$draft/state" "$home/releases/state"
start_agent
if await_contact "$program"; then
  cat "$home/run/installed"
else
  refuse "The agent was started but is not in contact with $url yet; see $program agent status --home $home"
fi
}
ballast_install "$@"
