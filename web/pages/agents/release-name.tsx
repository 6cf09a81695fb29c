import { releaseName } from '../../../domain/clusters/clusters.ts';

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
