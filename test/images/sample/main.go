// The application that tests run: small, static, and as well or as badly behaved as it is told to be.
package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

var (
	stubborn = flag.Bool("stubborn", false, "ignore SIGTERM")
	once     = flag.Bool("once", false, "print a line and exit")
	code     = flag.Int("code", 0, "what -once exits with")
	spawn    = flag.Bool("spawn", false, "start a grandchild that ignores SIGTERM")
	delay    = flag.Int("delay", 0, "milliseconds before it listens")
	needs    = flag.String("needs", "", "exit with code 1 unless something listens at this address")
	silent   = flag.Bool("silent", false, "print nothing that was not asked for")
	env      = flag.Bool("env", false, "print the environment and exit")
	store    = flag.Bool("store", false, "keep what clients set, a line of TCP each: set NAME VALUE, get NAME")
	listen   = flag.String("listen", "", "listen at this address, whatever PORT says")
	allowed  = flag.String("allowed", "", "answer 400 as Django does to every host but this one")
	mute     = flag.Bool("mute", false, "take every request and answer none")
	secure   = flag.Bool("secure", false, "redirect every request to https, whatever a proxy says")
	lingerer = flag.Bool("lingerer", false, "ignore SIGTERM and do nothing: what -spawn starts")
)

var (
	instance  = random()
	sick      atomic.Bool
	holding   sync.Mutex
	allocated [][]byte
)

func main() {
	flag.Parse()
	switch {
	case *env:
		for _, variable := range os.Environ() {
			fmt.Println(variable)
		}
	case *once:
		fmt.Println("once", instance)
		os.Exit(*code)
	case *store:
		keep()
	case *lingerer:
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		// Not an empty select, which the runtime takes for a deadlock and ends.
		for {
			time.Sleep(time.Hour)
		}
	default:
		reach(*needs)
		run()
	}
}

// As an application that does not start without its database.
func reach(address string) {
	if address == "" {
		return
	}
	client, err := net.DialTimeout("tcp", address, 2*time.Second)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	client.Close()
}

func run() {
	stop := make(chan os.Signal, 1)
	if *stubborn {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
		// Waiting for nothing at all would be a deadlock to the runtime.
		signal.Notify(stop, syscall.SIGUSR1)
	} else {
		signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	}
	if *spawn {
		startLingerer()
	}
	port := os.Getenv("PORT")
	if port == "" {
		say("started", instance)
		<-stop
		say("stopped", instance)
		return
	}
	select {
	case <-time.After(time.Duration(*delay) * time.Millisecond):
	case <-stop:
		return
	}
	address := ":" + port
	if *listen != "" {
		address = *listen
	}
	server := &http.Server{Addr: address, Handler: guarded(routes()), Protocols: new(http.Protocols)}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	stopped := make(chan struct{})
	go func() {
		<-stop
		say("stopping", instance)
		_ = server.Shutdown(context.Background())
		close(stopped)
	}()
	say("listening on port", port, instance)
	if err := server.ListenAndServe(); err != http.ErrServerClosed {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	<-stopped
	say("stopped", instance)
}

// As frameworks do whose settings do not fit where they run.
func guarded(routes http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := strings.Cut(r.Host, ":")
		switch {
		case *mute:
			<-r.Context().Done()
		case *allowed != "" && host != *allowed:
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintln(w, "\n<!doctype html>\n<html lang=\"en\">\n<head>\n  <title>Bad Request (400)</title>\n</head>\n<body>\n  <h1>Bad Request (400)</h1><p></p>\n</body>\n</html>")
		case *secure:
			http.Redirect(w, r, "https://"+r.Host+r.URL.RequestURI(), http.StatusMovedPermanently)
		default:
			routes.ServeHTTP(w, r)
		}
	})
}

func keep() {
	kept := sync.Map{}
	listener, err := net.Listen("tcp", ":"+os.Getenv("PORT"))
	if err != nil {
		panic(err)
	}
	for {
		client, err := listener.Accept()
		if err != nil {
			panic(err)
		}
		go func() {
			defer client.Close()
			lines := bufio.NewScanner(client)
			for lines.Scan() {
				switch words := strings.Fields(lines.Text()); {
				case len(words) == 3 && words[0] == "set":
					kept.Store(words[1], words[2])
					fmt.Fprintln(client, "ok", version())
				case len(words) == 2 && words[0] == "get":
					value, _ := kept.Load(words[1])
					fmt.Fprintln(client, value, version())
				}
			}
		}()
	}
}

// What a store answers to one line, or why it cannot be reached.
func asked(w http.ResponseWriter, r *http.Request) {
	client, err := net.DialTimeout("tcp", r.FormValue("address"), 2*time.Second)
	if err != nil {
		answer(w, map[string]any{"error": err.Error()})
		return
	}
	defer client.Close()
	_ = client.SetDeadline(time.Now().Add(5 * time.Second))
	fmt.Fprintln(client, r.FormValue("line"))
	said, err := bufio.NewReader(client).ReadString('\n')
	if err != nil {
		answer(w, map[string]any{"error": err.Error()})
		return
	}
	answer(w, map[string]any{"said": strings.TrimSpace(said)})
}

func startLingerer() {
	program, err := os.Executable()
	if err != nil {
		panic(err)
	}
	child := exec.Command(program, "-lingerer")
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	if err := child.Start(); err != nil {
		panic(err)
	}
	fmt.Println("grandchild", child.Process.Pid)
}

func routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) {
		directory, _ := os.Getwd()
		answer(w, map[string]any{
			"version": version(), "instance": instance, "pid": os.Getpid(), "uid": os.Getuid(), "gid": os.Getgid(),
			"directory": directory, "protocol": r.Proto, "host": r.Host,
		})
	})
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) {
		if sick.Load() {
			http.Error(w, "sick", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "well")
	})
	mux.HandleFunc("POST /sick", func(http.ResponseWriter, *http.Request) { sick.Store(true) })
	mux.HandleFunc("POST /well", func(http.ResponseWriter, *http.Request) { sick.Store(false) })
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(time.Duration(number(r, "ms")) * time.Millisecond)
		answer(w, map[string]any{"version": version(), "instance": instance})
	})
	mux.HandleFunc("/environment", func(w http.ResponseWriter, _ *http.Request) {
		variables := map[string]string{}
		for _, variable := range os.Environ() {
			name, value, _ := strings.Cut(variable, "=")
			variables[name] = value
		}
		answer(w, variables)
	})
	mux.HandleFunc("/ask", asked)
	mux.HandleFunc("/stream", stream)
	mux.HandleFunc("/echo", echo)
	mux.HandleFunc("/log", func(_ http.ResponseWriter, r *http.Request) {
		for line := 0; line < max(1, number(r, "count")); line++ {
			fmt.Println(r.FormValue("text"))
		}
	})
	mux.HandleFunc("/exit", func(_ http.ResponseWriter, r *http.Request) { os.Exit(number(r, "code")) })
	mux.HandleFunc("/allocate", func(_ http.ResponseWriter, r *http.Request) {
		block := make([]byte, number(r, "mb")<<20)
		for at := 0; at < len(block); at += 4096 {
			block[at] = 1
		}
		holding.Lock()
		defer holding.Unlock()
		allocated = append(allocated, block)
	})
	mux.HandleFunc("/burn", burn)
	mux.HandleFunc("/write", func(w http.ResponseWriter, r *http.Request) {
		if err := os.WriteFile(r.FormValue("path"), []byte(r.FormValue("text")), 0o644); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	mux.HandleFunc("/stat", func(w http.ResponseWriter, r *http.Request) {
		seen, err := os.Stat(r.FormValue("path"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		owner := seen.Sys().(*syscall.Stat_t)
		answer(w, map[string]any{"mode": fmt.Sprintf("%04o", seen.Mode().Perm()), "uid": owner.Uid, "gid": owner.Gid})
	})
	mux.HandleFunc("/read", func(w http.ResponseWriter, r *http.Request) {
		text, err := os.ReadFile(r.FormValue("path"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		_, _ = w.Write(text)
	})
	return mux
}

// A chunk every 50 ms, for as long as is asked or until a file is there, and how many there were as a trailer.
func stream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Trailer", "X-Chunks")
	chunks := 0
	for end := time.Now().Add(time.Duration(number(r, "ms")) * time.Millisecond); time.Now().Before(end) && !isThere(r.FormValue("until")); chunks++ {
		fmt.Fprintln(w, "chunk", chunks)
		_ = http.NewResponseController(w).Flush()
		time.Sleep(50 * time.Millisecond)
	}
	fmt.Fprintln(w, "end")
	w.Header().Set("X-Chunks", strconv.Itoa(chunks))
}

func isThere(path string) bool {
	if path == "" {
		return false
	}
	_, err := os.Stat(path)
	return err == nil
}

// Keeps one core busy for as long as is asked, and says how many rounds of work it managed.
func burn(w http.ResponseWriter, r *http.Request) {
	rounds, block := 0, make([]byte, 4096)
	for end := time.Now().Add(time.Duration(max(100, number(r, "ms"))) * time.Millisecond); time.Now().Before(end); rounds++ {
		sha1.Sum(block)
	}
	answer(w, map[string]any{"rounds": rounds})
}

// A websocket that sends back what it gets.
func echo(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get("Sec-WebSocket-Key")
	if key == "" {
		http.Error(w, "a websocket is needed", http.StatusUpgradeRequired)
		return
	}
	connection, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer connection.Close()
	accept := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	fmt.Fprintf(buffered, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Accept: %s\r\n\r\n", base64.StdEncoding.EncodeToString(accept[:]))
	for buffered.Flush() == nil {
		opcode, payload, err := readFrame(buffered.Reader)
		if err != nil {
			return
		}
		if opcode == 9 { // a ping is answered with a pong
			opcode = 10
		}
		writeFrame(buffered.Writer, opcode, payload)
		if opcode == 8 {
			_ = buffered.Flush()
			return
		}
	}
}

func readFrame(from *bufio.Reader) (byte, []byte, error) {
	var head [2]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return 0, nil, err
	}
	length := uint64(head[1] & 0x7f)
	if length >= 126 {
		wide := make([]byte, map[uint64]int{126: 2, 127: 8}[length])
		if _, err := io.ReadFull(from, wide); err != nil {
			return 0, nil, err
		}
		length = 0
		for _, digit := range wide {
			length = length<<8 | uint64(digit)
		}
	}
	if head[1]&0x80 == 0 || length > 1<<20 {
		return 0, nil, fmt.Errorf("a frame that is not masked, or too long")
	}
	var mask [4]byte
	payload := make([]byte, length)
	if _, err := io.ReadFull(from, mask[:]); err != nil {
		return 0, nil, err
	}
	if _, err := io.ReadFull(from, payload); err != nil {
		return 0, nil, err
	}
	for at := range payload {
		payload[at] ^= mask[at%4]
	}
	return head[0] & 0x0f, payload, nil
}

func writeFrame(to *bufio.Writer, opcode byte, payload []byte) {
	_ = to.WriteByte(0x80 | opcode)
	switch length := len(payload); {
	case length < 126:
		_ = to.WriteByte(byte(length))
	case length < 1<<16:
		_, _ = to.Write(binary.BigEndian.AppendUint16([]byte{126}, uint16(length)))
	default:
		_, _ = to.Write(binary.BigEndian.AppendUint64([]byte{127}, uint64(length)))
	}
	_, _ = to.Write(payload)
}

// Stands in a file beside the program, so that two versions share the layer that the program is in.
func version() string {
	program, _ := os.Executable()
	text, _ := os.ReadFile(filepath.Join(filepath.Dir(program), "version"))
	return strings.TrimSpace(string(text))
}

func number(r *http.Request, name string) int {
	value, _ := strconv.Atoi(r.FormValue(name))
	return value
}

func answer(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}

func say(words ...any) {
	if !*silent {
		fmt.Println(words...)
	}
}

func random() string {
	bytes := make([]byte, 8)
	_, _ = rand.Read(bytes)
	return hex.EncodeToString(bytes)
}
