import { GuardLooseningSchema } from './guard-loosening.ts';

export const guards = [GuardLooseningSchema] as const;
