import { Readable } from 'node:stream';
import { extract, type Header } from 'tar-stream';
import type { RegistryWorld } from '../registry/registry-world.ts';

export interface PushedContent {
  config: { config: Record<string, unknown>; history: Record<string, unknown>[] };
  /** Entries of the layers, from the lowest. */
  layers: { entries: Header[]; text: string }[];
  /** All of it, as text. */
  text: string;
}

/** An image of the registry, as whoever pulls it sees it. */
export async function imageContent(world: RegistryWorld, digest = ''): Promise<PushedContent> {
  const ask = async (what: string) => (await world.client().ask('GET', what)).bytes;
  const manifest = JSON.parse((await ask(`manifests/${digest}`)).toString());
  const config = (await ask(`blobs/${manifest.config.digest}`)).toString();
  const layers: PushedContent['layers'] = [];
  for (const { digest: layer } of manifest.layers) {
    const bytes = await ask(`blobs/${layer}`);
    const entries: Header[] = [];
    const reader = extract();
    Readable.from([bytes]).pipe(reader as unknown as NodeJS.WritableStream);
    for await (const entry of reader) {
      entries.push(entry.header);
      entry.resume();
    }
    layers.push({ entries, text: bytes.toString('latin1') });
  }
  return { config: JSON.parse(config), layers, text: config + layers.map(({ text }) => text).join('') };
}
