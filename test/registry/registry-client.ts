import { createHash } from 'node:crypto';

export interface Answer {
  status: number;
  headers: Headers;
  bytes: Buffer;
  /** The code of a failure. */
  code: string | undefined;
}

export interface Blob {
  digest: string;
  size: number;
  bytes: Buffer;
}

export const types = {
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  index: 'application/vnd.oci.image.index.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar',
} as const;

export function digestOf(bytes: Buffer, algorithm = 'sha256'): string {
  return `${algorithm}:${createHash(algorithm).update(bytes).digest('hex')}`;
}

export function blobOf(content: string | Buffer): Blob {
  const bytes = Buffer.from(content);
  return { digest: digestOf(bytes), size: bytes.length, bytes };
}

/** A client of one repository that says each request itself, so that a test sees what each rule answers. */
export class RegistryClient {
  readonly url: string;
  readonly path: string;
  readonly #password: string | undefined;

  constructor(url: string, path: string, password: string | undefined) {
    this.url = url;
    this.path = path;
    this.#password = password;
  }

  /** `path` is beneath the repository, or begins with a slash. */
  async ask(
    method: string,
    path: string,
    more: { body?: Buffer | string; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const url = path.startsWith('/') ? `${this.url}${path}` : `${this.url}/v2/${this.path}/${path}`;
    const answer = await fetch(url, {
      method,
      headers: { ...this.headers(), ...more.headers },
      ...(more.body === undefined ? {} : { body: new Uint8Array(Buffer.from(more.body)) }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const json = /json/.test(answer.headers.get('content-type') ?? '') && bytes.length > 0;
    const read: { errors?: { code: string }[] } = json ? JSON.parse(bytes.toString()) : {};
    return { status: answer.status, headers: answer.headers, bytes, code: read.errors?.[0]?.code };
  }

  headers(): Record<string, string> {
    if (this.#password === undefined) return {};
    return { authorization: `Basic ${Buffer.from(`anybody:${this.#password}`).toString('base64')}` };
  }

  /** Begins an upload; answers its place. */
  async begin(): Promise<string> {
    const { headers } = await this.ask('POST', 'blobs/uploads/');
    return headers.get('location') ?? '';
  }

  async pushBlob({ digest, bytes }: Pick<Blob, 'digest' | 'bytes'>): Promise<Answer> {
    const place = await this.begin();
    const headers = { 'content-type': 'application/octet-stream' };
    return await this.ask('PUT', `${place}?digest=${digest}`, { body: bytes, headers });
  }

  async pushManifest(
    manifest: object,
    reference?: string,
    type: string = types.manifest,
  ): Promise<Answer & { digest: string }> {
    const bytes = Buffer.from(JSON.stringify(manifest));
    const digest = digestOf(bytes);
    const headers = { 'content-type': type };
    const answer = await this.ask('PUT', `manifests/${reference ?? digest}`, { body: bytes, headers });
    return { ...answer, digest };
  }

  /** An image of one layer with that content, under a tag. */
  async pushImage(
    content: string,
    tag?: string,
  ): Promise<{ digest: string; layer: Blob; config: Blob; manifest: object }> {
    const layer = blobOf(content);
    const config = blobOf(
      JSON.stringify({ os: 'linux', architecture: 'amd64', config: { ExposedPorts: { '8080/tcp': {} } }, rootfs: {} }),
    );
    for (const blob of [layer, config]) {
      const { status } = await this.pushBlob(blob);
      if (status !== 201) throw new Error(`The registry answered ${status} to a blob.`);
    }
    const manifest = imageOf(config, [layer]);
    const { status, digest } = await this.pushManifest(manifest, tag);
    if (status !== 201) throw new Error(`The registry answered ${status} to a manifest.`);
    return { digest, layer, config, manifest };
  }
}

export function imageOf(config: Blob, layers: readonly Blob[]): object {
  return {
    schemaVersion: 2,
    mediaType: types.manifest,
    config: { mediaType: types.config, digest: config.digest, size: config.size },
    layers: layers.map(({ digest, size }) => ({ mediaType: types.layer, digest, size })),
  };
}
