/** A release of the agent, `ballast-agent:1.2.3-0123456789ab`, as people speak of it. */
function releaseName(image: string): { version: string; build: string } {
  const found = /^(?:.*:)?(.+)-([0-9a-f]{12})$/.exec(image);
  return { version: found?.[1] ?? image, build: found?.[2] ?? '' };
}

/** Two releases of one version differ in their build alone, so it is shown, too. */
export function Release({ image }: { image: string }) {
  const { version, build } = releaseName(image);
  return (
    <span title={image} className="whitespace-nowrap">
      {version}
      {build !== '' && <span className="ml-1.5 font-mono text-[0.92em] text-faint">{build}</span>}
    </span>
  );
}

export function releaseText(image: string): string {
  const { version, build } = releaseName(image);
  return build === '' ? version : `${version} (${build})`;
}
