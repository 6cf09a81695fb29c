import { inject } from 'vitest';
import { usePreparedHome } from './prepared-home.ts';

usePreparedHome(inject('preparedHome'));
