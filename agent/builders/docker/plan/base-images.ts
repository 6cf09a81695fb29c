import { Refusal } from '../../../program/refusal.ts';

/** Images that builds without a Dockerfile begin with; `{version}` is the one that the source asks for. */
interface Base {
  image: string;
  /** Where the source asks for none. */
  version: string;
  /** So much of what it asks for is in the names of its tags. */
  asked: RegExp;
}

const bases = {
  node: { image: 'node:{version}-slim', version: '24', asked: /\d+/ },
  python: { image: 'python:{version}-slim', version: '3.12', asked: /\d+\.\d+/ },
  go: { image: 'golang:{version}', version: '1', asked: /\d+\.\d+/ },
  rust: { image: 'rust:{version}-slim', version: '1', asked: /\d+\.\d+/ },
  java: { image: 'eclipse-temurin:{version}', version: '21', asked: /\d+/ },
  maven: { image: 'maven:3-eclipse-temurin-{version}', version: '21', asked: /\d+/ },
  gradle: { image: 'gradle:8-jdk{version}', version: '21', asked: /\d+/ },
  /** Programs that were compiled run in this one. */
  system: { image: 'debian:stable-slim', version: '', asked: /(?!)/ },
} satisfies Record<string, Base>;

export type BaseName = keyof typeof bases;
export const baseNames = Object.keys(bases) as BaseName[];
/** The images of an agent, where they are not the usual ones. */
export type BaseImages = Readonly<Partial<Record<BaseName, string>>>;

export function baseImage(name: BaseName, asked: string, own: BaseImages): string {
  const { image, version, asked: part } = bases[name];
  return (own[name] ?? image).replaceAll('{version}', part.exec(asked)?.[0] ?? version);
}

/** `node=registry.example.com/node:{version}`, as an option says it. */
export function baseImagesOf(texts: readonly string[]): BaseImages {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name = '', image = ''] = /^([a-z]+)=([\w.\-/:@{}]+)$/.exec(text) ?? [];
      if (!Object.hasOwn(bases, name))
        throw new Refusal(
          `--build-base-image: "${text}" is no image; write it as node=registry.example.com/node:{version}-slim, with ${baseNames.join(', ')} in front.`,
        );
      return [name, image];
    }),
  );
}
