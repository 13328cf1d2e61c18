import type { TestEvent } from 'node:test/reporters'

/** A reporter for Node's test runner: prints the test files that failed, one per line. */
export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    // `runFiles` makes a suite of each file, with the file's name; its tests are nested.
    if (type === 'test:fail' && data.nesting === 0) yield `${data.name}\n`
  }
}
