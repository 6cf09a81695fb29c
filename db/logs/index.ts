import { LogReaderSchema, LogRelaySchema } from './log-reader.ts';

export const logs = [LogReaderSchema, LogRelaySchema] as const;
