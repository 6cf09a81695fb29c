/** A release of the agent, `ballast-agent:1.2.3-0123456789ab`, as people speak of it. */
export function releaseName(image: string): { version: string; build: string } {
  const found = /^(?:.*:)?(.+)-([0-9a-f]{12})$/.exec(image);
  return { version: found?.[1] ?? image, build: found?.[2] ?? '' };
}

/** Two releases of one version differ in their build alone, so it is named, too. */
export function releaseText(image: string): string {
  const { version, build } = releaseName(image);
  return build === '' ? version : `${version} (${build})`;
}
