#!/usr/bin/env node
// Runs the command from the repository.
import '../src/command.ts'
