/**
 * The command that joins a machine to the cluster. The token is given on standard input, so that it is in no
 * list of processes. The fingerprint is of the key that the machine trusts from then on. The token, the address and the slug are made of characters that mean nothing to a shell. A script that could
 * not be fetched fails as a whole: curl has said why.
 */
export function installCommand(
  publicUrl: string,
  cluster: { slug: string },
  token: string,
  fingerprint: string | undefined,
): string {
  const script = `${publicUrl}/agent/v1/install.sh`;
  return `printf '%s\\n' ${quoted(token)} | sh -c "$(curl -fsSL ${quoted(script)} || echo exit 1)" ballast-install${trusting(fingerprint)}${beside(publicUrl, cluster)}`;
}

/** Missing as long as no release is signed; the script says then what to do. */
function trusting(fingerprint: string | undefined): string {
  return fingerprint === undefined ? '' : ` --trust ${fingerprint}`;
}

/** An address that only this machine can reach: the agent comes to live here, beside that of the local cluster. */
function beside(publicUrl: string, { slug }: { slug: string }): string {
  const { hostname } = new URL(publicUrl);
  const here = hostname === 'localhost' || hostname.endsWith('.localhost') || /^127\.|^\[::1\]$/.test(hostname);
  return here ? ` --home "$HOME/ballast-agent-${slug}" --ingress-port 0` : '';
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
