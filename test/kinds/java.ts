import type { Kind } from './kind.ts';

const parent = `  <parent>
    <groupId>org.springframework.boot</groupId>
    <artifactId>spring-boot-starter-parent</artifactId>
    <version>3.5.6</version>
    <relativePath/>
  </parent>`;
const web = `    <dependency>
      <groupId>org.springframework.boot</groupId>
      <artifactId>spring-boot-starter-web</artifactId>
    </dependency>`;
const packaged = `  <build>
    <plugins>
      <plugin>
        <groupId>org.springframework.boot</groupId>
        <artifactId>spring-boot-maven-plugin</artifactId>
      </plugin>
    </plugins>
  </build>`;

const pom = (...parts: readonly string[]): string => `<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
${parts.join('\n')}
</project>
`;

const application = (words: string): string => `package com.example.hello;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
@RestController
public class Hello {
  public static void main(String[] arguments) {
    SpringApplication.run(Hello.class, arguments);
  }

  @GetMapping("/")
  String say() {
    return ${words};
  }
}
`;

const java = (name: string, files: Kind['files'], context?: string): Kind => ({
  ...{ name, files, answers: { path: '/', includes: `Hello from ${name}` }, programs: ['javac', 'mvn'] },
  detected: { provider: 'java', framework: 'spring-boot', packageManager: 'maven', port: 8080 },
  ...(context === undefined ? {} : { context }),
});

const version = '<java.version>17</java.version>';
const named = (name: string): string => `  <artifactId>${name}</artifactId>\n  <version>1.0.0</version>`;

const maven = java('spring-maven', {
  'pom.xml': pom(
    ...[parent, '  <groupId>com.example</groupId>', named('hello'), `  <properties>${version}</properties>`],
    ...[`  <dependencies>\n${web}\n  </dependencies>`, packaged],
  ),
  'src/main/java/com/example/hello/Hello.java': application('"Hello from spring-maven"'),
});

const above = `  <parent>
    <groupId>com.example</groupId>
    <artifactId>shop</artifactId>
    <version>1.0.0</version>
  </parent>`;
const words = `    <dependency>
      <groupId>com.example</groupId>
      <artifactId>words</artifactId>
      <version>1.0.0</version>
    </dependency>`;

const modules = java(
  'maven-modules',
  {
    'pom.xml': pom(
      ...[parent, '  <groupId>com.example</groupId>', named('shop'), '  <packaging>pom</packaging>'],
      `  <modules>\n    <module>words</module>\n    <module>app</module>\n  </modules>`,
      `  <properties>${version}</properties>`,
    ),
    'words/pom.xml': pom(above, '  <artifactId>words</artifactId>'),
    'words/src/main/java/com/example/words/Words.java': `package com.example.words;

public class Words {
  public static final String HELLO = "Hello from maven-modules";
}
`,
    'app/pom.xml': pom(
      ...[above, '  <artifactId>app</artifactId>', `  <dependencies>\n${web}\n${words}\n  </dependencies>`, packaged],
    ),
    'app/src/main/java/com/example/hello/Hello.java': application('com.example.words.Words.HELLO'),
  },
  'app',
);

export const javaKinds: readonly Kind[] = [maven, modules];
