import type { Command } from 'commander'

/** Adds examples to the end of a command's help. */
export const addExamples = (command: Command, examples: readonly string[]): Command =>
  command.addHelpText('after', ['', 'Examples:', ...examples.map((line) => `  ${line}`)].join('\n'))

/** Adds the options of a list that comes in pages. */
export const addPageOptions = (command: Command): Command =>
  command
    .option('--limit <rows>', 'rows of a page, 1 to 500', '50')
    .option('--cursor <id>', 'where the next page starts')
