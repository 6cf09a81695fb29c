/** The address of a host name that an agent's ingress serves at this port; empty while the port is not known. */
export function addressOf(host: string, port: number | undefined): string {
  if (port === undefined) return '';
  return port === 80 ? `http://${host}` : `http://${host}:${port}`;
}
