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
  /** PHP with a server that is one process and listens on PORT, and with the installer of extensions. */
  php: { image: 'dunglas/frankenphp:1-php{version}', version: '8.4', asked: /\d+\.\d+/ },
  composer: { image: 'composer:2', version: '', asked: /(?!)/ },
  ruby: { image: 'ruby:{version}', version: '3.4', asked: /\d+(?:\.\d+){1,2}/ },
  elixir: { image: 'elixir:{version}', version: '1.18', asked: /\d+\.\d+/ },
  deno: { image: 'denoland/deno:debian-{version}', version: '2.5.4', asked: /\d+\.\d+\.\d+/ },
  dotnet: { image: 'mcr.microsoft.com/dotnet/sdk:{version}', version: '10.0', asked: /\d+\.\d+/ },
  hugo: { image: 'hugomods/hugo:exts-{version}', version: '0.152.2', asked: /\d+\.\d+\.\d+/ },
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
