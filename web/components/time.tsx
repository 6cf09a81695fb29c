export { durationText, periodText } from './times/durations.ts';
export { useNow } from './times/now.ts';
export { Time } from './times/time.tsx';
