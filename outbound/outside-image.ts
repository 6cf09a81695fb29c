import { createHash } from 'node:crypto';
import { z } from 'zod';
import { OutboundFailed } from './failures.ts';
import { askRegistry, type Limits, manifestTypes, type OutsideImage, type SignIn } from './registry.ts';
import { askPublic, type PublicAnswer } from './request.ts';

/** One image of those that a reference leads to. */
export interface OutsideVariant {
  digest: string;
  os: string;
  architecture: string;
  annotations: Record<string, string>;
}

const word = z.string().max(64).default('');
const annotations = z.record(z.string(), z.string()).nullish();
const platform = z.object({ os: word, architecture: word }).nullish();
const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const index = z.object({ manifests: z.array(z.object({ digest, platform, annotations })).max(1000) });
const manifest = z.object({ config: z.object({ digest }), annotations });
const texts = z
  .array(z.string())
  .nullish()
  .transform((list) => list ?? []);
const config = z.object({
  os: word,
  architecture: word,
  config: z
    .object({ Cmd: texts, Entrypoint: texts, User: z.string().nullish(), WorkingDir: z.string().nullish() })
    .nullish(),
});
export type OutsideConfig = z.output<typeof config>;

const mostBytes = 4_194_304;

/** The images that a digest leads to at an outside registry, with what each is made for. */
export async function outsideVariants(image: OutsideImage, limits: Limits): Promise<OutsideVariant[]> {
  const signIn: SignIn = {};
  const read = parsed(z.union([index, manifest]), image, await manifestBytes(image, limits, signIn));
  if ('manifests' in read) {
    // Proofs of builds lie beside the images, for no platform.
    return read.manifests
      .filter((one) => one.platform?.os !== 'unknown')
      .map((one) => ({
        digest: one.digest,
        os: one.platform?.os ?? '',
        architecture: one.platform?.architecture ?? '',
        annotations: one.annotations ?? {},
      }));
  }
  const { os, architecture } = await configOf(image, read.config.digest, limits, signIn);
  return [{ digest: image.reference, os, architecture, annotations: read.annotations ?? {} }];
}

/** The configuration of one image at an outside registry, by its digest. */
export async function outsideConfig(image: OutsideImage, limits: Limits): Promise<OutsideConfig> {
  const signIn: SignIn = {};
  const read = parsed(manifest, image, await manifestBytes(image, limits, signIn));
  return await configOf(image, read.config.digest, limits, signIn);
}

async function manifestBytes(image: OutsideImage, limits: Limits, signIn: SignIn): Promise<Buffer> {
  const asked = { ...limits, maxBytes: mostBytes, accept: manifestTypes };
  return checked(image, await askRegistry(image, `manifests/${image.reference}`, asked, signIn), image.reference);
}

/** Registries lead to where the bytes are; the sign-in is not for that place. */
async function configOf(image: OutsideImage, wanted: string, limits: Limits, signIn: SignIn): Promise<OutsideConfig> {
  const asked = { ...limits, maxBytes: mostBytes };
  let answer = await askRegistry(image, `blobs/${wanted}`, asked, signIn);
  for (let hops = 0; hops < 3 && answer.status >= 300 && answer.status < 400; hops += 1) {
    const to = answer.headers.location ?? '';
    if (!URL.canParse(to, answer.url.href)) break;
    answer = await askPublic(new URL(to, answer.url).href, asked);
  }
  return parsed(config, image, checked(image, answer, wanted));
}

function checked({ host, repository }: OutsideImage, { status, body }: PublicAnswer, wanted: string): Buffer {
  if (status !== 200) throw new OutboundFailed(`${host} answered ${status} for ${wanted} of ${repository}.`);
  if (`sha256:${createHash('sha256').update(body).digest('hex')}` === wanted) return body;
  throw new OutboundFailed(`${host} answered other bytes than those of ${wanted}.`);
}

function parsed<Schema extends z.ZodType>(schema: Schema, { host }: OutsideImage, bytes: Buffer): z.output<Schema> {
  try {
    return schema.parse(JSON.parse(bytes.toString('utf8')));
  } catch {
    throw new OutboundFailed(`${host} answered a document that is no image.`);
  }
}
