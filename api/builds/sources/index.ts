import { createSource } from './create-source.ts';
import { getSource } from './get-source.ts';

export const sources = {
  createSource,
  getSource,
};
