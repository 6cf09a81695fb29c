import * as z from 'zod';

const bytes = z
  .string()
  .max(20_000)
  .regex(/^[\w-]+$/);
const id = z
  .string()
  .max(1_400)
  .regex(/^[\w-]+$/);

const attested = z.object({
  id,
  rawId: id,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: bytes,
    attestationObject: bytes,
    transports: z.array(z.string().max(20)).exactOptional(),
  }),
  clientExtensionResults: z.object({}).default({}),
});

const asserted = z.object({
  id,
  rawId: id,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: bytes,
    authenticatorData: bytes,
    signature: bytes,
    userHandle: bytes.exactOptional(),
  }),
  clientExtensionResults: z.object({}).default({}),
});

/** The browser's answer when a passkey was created. */
export type Attested = z.output<typeof attested>;
/** The browser's answer when a passkey signed a challenge. */
export type Asserted = z.output<typeof asserted>;

export function readAttested(answer: string): Attested | undefined {
  return attested.safeParse(parsed(answer)).data;
}

export function readAsserted(answer: string): Asserted | undefined {
  return asserted.safeParse(parsed(answer)).data;
}

function parsed(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return undefined;
  }
}
