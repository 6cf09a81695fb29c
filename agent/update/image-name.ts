/** How a release of the agent is called: `ballast-agent:<version>-<first 12 digits of the bundle's digest>`. */
export function imageName(version: string, digest: string): string {
  return `ballast-agent:${version}-${shortDigest(digest)}`;
}

export function shortDigest(digest: string): string {
  return digest.replace(/^sha256:/, '').slice(0, 12);
}
