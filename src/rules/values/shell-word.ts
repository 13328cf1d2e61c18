/**
 * A text as one word of a shell's command line. Names that somebody else has chosen stand in commands that people copy: in
 * double quotes a shell would run what is in them.
 */
export const shellWord = (text: string): string =>
  /^[\w.,:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
