/** The part of a log's view that is in the address of its page. */
export interface LogChoice {
  find?: string;
  /** The id of a row with its place, as the view makes links. */
  line?: string;
  /** Only rows of this channel, or of channels of this group. */
  of?: string;
  stream?: 'stdout' | 'stderr';
  /** Opened at the last run that failed. */
  failing?: true;
}
