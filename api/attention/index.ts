import { listAttention } from './list-attention.ts';

export const attention = { list: listAttention };
