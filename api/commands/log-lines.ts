import { StringDecoder } from 'node:string_decoder';
import type { OutputView } from '../../db/commands/command-output.ts';

export interface LogLine {
  stream: 'stdout' | 'stderr';
  text: string;
  at?: string;
}

/** So long may a line be before it is cut in two. */
const longest = 65_536;

/** Makes lines of the pieces in which an agent sends what was written; a piece can end within a line or a character. */
export class LogLines {
  readonly #open = {
    stdout: { decoder: new StringDecoder('utf8'), text: '' },
    stderr: { decoder: new StringDecoder('utf8'), text: '' },
  };

  /** The lines that end in this piece. */
  of({ stream, data, at }: OutputView): LogLine[] {
    if (stream === 'progress') return [];
    const open = this.#open[stream];
    const texts = (open.text + open.decoder.write(data)).split('\n');
    open.text = texts.pop() ?? '';
    if (open.text.length > longest) {
      texts.push(open.text);
      open.text = '';
    }
    const when = at === null ? {} : { at: at.toISOString() };
    return texts.map((text) => ({ stream, text, ...when }));
  }

  /** The rest that no line break ended. */
  rest(): LogLine[] {
    return (['stdout', 'stderr'] as const).flatMap((stream) => {
      const text = this.#open[stream].text + this.#open[stream].decoder.end();
      return text === '' ? [] : [{ stream, text }];
    });
  }
}
