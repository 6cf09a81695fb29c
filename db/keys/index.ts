import { DataKeySchema } from './data-key.ts';

export const keys = [DataKeySchema] as const;
