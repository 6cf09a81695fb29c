import { BuildSchema } from './build.ts';
import { BuildLogChunkSchema } from './build-log-chunk.ts';
import { BuildSourceBlobSchema, BuildSourceSchema } from './build-source.ts';

export const builds = [BuildSchema, BuildLogChunkSchema, BuildSourceSchema, BuildSourceBlobSchema] as const;
