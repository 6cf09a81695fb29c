/** An image that is whole and verified in the agent's store. */
export interface ReadyImage {
  /** Of the image's manifest, for this platform. */
  digest: string;
  config: ImageConfig;
  /** Compressed or not, in order; each is the path of a verified blob in the store. */
  layers: readonly { digest: string; mediaType: string; path: string; sizeBytes: number }[];
  /** The image's own configuration, byte for byte as its digest says. */
  configPath: string;
  /** Of the manifest. */
  annotations: Readonly<Record<string, string>>;
}

export interface ImageConfig {
  os: string;
  architecture: string;
  entrypoint: readonly string[];
  command: readonly string[];
  environment: Readonly<Record<string, string>>;
  workingDirectory: string;
  user: string;
  exposedPorts: readonly number[];
  /** Digests of the layers when they are not compressed. */
  diffIds: readonly string[];
}

export { hostBound } from '../../domain/services/image-fit.ts';
