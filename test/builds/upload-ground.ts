import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { extract } from 'tar-stream';
import { expect } from 'vitest';
import { type Uploading, uploadFolder } from '../../cli/build/upload-folder.ts';
import { Rest } from '../../cli/engine/rest.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import type { SourceFile } from '../../domain/builds/manifest.ts';
import { type RegistryWorld, registryWorld, tokenOf } from '../registry/registry-world.ts';
import { seedAgent, seedBuild } from '../registry/seed-build.ts';
import { type SeededRepository, seedRepository } from '../registry/seed-repository.ts';

/** A control plane to which folders are uploaded, and one such folder of a service, which is empty. */
export class UploadGround {
  readonly world: RegistryWorld;
  readonly #directory = mkdtempSync(join(tmpdir(), 'ballast-upload-'));
  readonly #tokenFile = join(this.#directory, 'token');
  #folder = '';
  #repository: SeededRepository | undefined;

  private constructor(world: RegistryWorld) {
    this.world = world;
    writeFileSync(this.#tokenFile, tokenOf(world.organization.tokens.deployer), { mode: 0o600 });
  }

  static async open(): Promise<UploadGround> {
    return new UploadGround(await registryWorld());
  }

  /** Another empty folder, of another service. */
  async anew(): Promise<void> {
    this.#folder = mkdtempSync(join(this.#directory, 'folder-'));
    this.#repository = await seedRepository(this.world.api.database, this.world.organization);
  }

  get folder(): string {
    return this.#folder;
  }

  get #here(): SeededRepository {
    if (this.#repository === undefined) throw new Error('There is no service yet.');
    return this.#repository;
  }

  write(path: string, content: string | Buffer): void {
    mkdirSync(dirname(join(this.#folder, path)), { recursive: true });
    writeFileSync(join(this.#folder, path), content);
  }

  async upload(more: Uploading = {}, url = this.world.api.url) {
    const [, project = '', service = ''] = this.#here.path.split('/');
    const rest = new Rest({ url, 'token-file': this.#tokenFile });
    const here = { rest, organization: { slug: this.world.organization.slug } as never };
    const target = { project: { slug: project }, service: { id: this.#here.serviceId, slug: service } };
    return await uploadFolder(here, target, this.#folder, more);
  }

  async manifestOf(sourceId: string): Promise<SourceFile[]> {
    const own = tenant(this.world.api.database.kysely, this.#here.organizationId);
    const source = own.selectFrom('build_source').select('files').where('id', '=', sourceId);
    return (await source.executeTakeFirstOrThrow()).files as unknown as SourceFile[];
  }

  /** The paths that the agent unpacks, and the digest of what is in each. */
  async builtOf(sourceId: string): Promise<Map<string, string>> {
    const { api, organization } = this.world;
    const { clusterId, secret } = await seedAgent(api, organization);
    const id = await seedBuild(api.database, this.#here, { clusterId, sourceId });
    const headers = { authorization: `Bearer ${secret}` };
    const answer = await fetch(`${api.url}/agent/v1/builds/${id}/source`, { headers });
    expect(answer.status).toBe(200);
    const reader = extract();
    Readable.fromWeb(answer.body as never).pipe(reader as unknown as NodeJS.WritableStream);
    const found = new Map<string, string>();
    for await (const entry of reader) {
      const hash = createHash('sha256');
      for await (const piece of entry) hash.update(piece as Buffer);
      found.set(entry.header.name, `sha256:${hash.digest('hex')}`);
    }
    return found;
  }

  async close(): Promise<void> {
    await this.world.close();
    rmSync(this.#directory, { recursive: true });
  }
}
