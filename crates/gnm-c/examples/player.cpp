// Plays a recording (.gcap, docs/sources/recordings.md) on a console of its own: memory in exact ranges behind callbacks, with generations
// of its pages. Each flip becomes FOLDER/NAME.ppm, each dump FOLDER/NAME.bin.
//
//     c++ -std=c++17 player.cpp $(pkg-config --cflags --libs afterimage-gnm) -o player && ./player recording.gcap folder
#include <afterimage_gnm.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

// Ranges by their first byte, apart from each other.
class Memory {
public:
    void map(uint64_t address, uint64_t size) {
        uint64_t end = address + size;
        std::vector<uint8_t> bytes(size);
        auto range = ranges_.upper_bound(end);
        while (range != ranges_.begin()) {
            --range;
            uint64_t start = range->first, behind = start + range->second.size();
            if (behind < address) break;
            uint64_t first = std::min(start, address), last = std::max(behind, end);
            std::vector<uint8_t> joined(last - first);
            std::copy(bytes.begin(), bytes.end(), joined.begin() + (address - first));
            std::copy(range->second.begin(), range->second.end(), joined.begin() + (start - first));
            bytes.swap(joined);
            address = first, end = last;
            range = ranges_.erase(range);
        }
        ranges_[address] = std::move(bytes);
    }

    uint8_t *at(uint64_t address, size_t size) {
        auto range = ranges_.upper_bound(address);
        if (range == ranges_.begin()) return nullptr;
        --range;
        uint64_t from = address - range->first;
        if (from > range->second.size() || size > range->second.size() - from) return nullptr;
        return range->second.data() + from;
    }

    bool write(uint64_t address, const void *bytes, size_t size) {
        uint8_t *to = at(address, size);
        if (!to) return false;
        std::memcpy(to, bytes, size);
        ++clock_;
        for (uint64_t page = address >> 12; page <= (address + size - 1) >> 12; ++page) generations_[page] = clock_;
        return true;
    }

    bool next(uint64_t address, AfterimageGnmRange &out) const {
        auto range = ranges_.upper_bound(address);
        if (range != ranges_.begin()) {
            auto before = std::prev(range);
            if (before->first + before->second.size() > address) range = before;
        }
        if (range == ranges_.end()) return false;
        out = {range->first, range->first + range->second.size()};
        return true;
    }

    uint64_t generation(uint64_t address, uint64_t size) const {
        uint64_t newest = 0, last = size == 0 ? 0 : (address + size - 1) >> 12;
        if (last - (address >> 12) > generations_.size()) {
            for (auto &page : generations_)
                if (page.first >= address >> 12 && page.first <= last) newest = std::max(newest, page.second);
            return newest;
        }
        for (uint64_t page = address >> 12; size != 0 && page <= last; ++page) {
            auto found = generations_.find(page);
            if (found != generations_.end()) newest = std::max(newest, found->second);
        }
        return newest;
    }

private:
    std::map<uint64_t, std::vector<uint8_t>> ranges_;
    std::unordered_map<uint64_t, uint64_t> generations_;
    uint64_t clock_ = 0;
};

void check(uint32_t result, const char *what) {
    if (result != AFTERIMAGE_GNM_OK) throw std::runtime_error(std::string(what) + ": " + afterimage_gnm_message());
}

// A record's payload, read from the front.
struct Payload {
    const uint8_t *at, *end;

    template <typename T> T get() {
        T value;
        if (end - at < static_cast<ptrdiff_t>(sizeof value)) throw std::runtime_error("a record is too short");
        std::memcpy(&value, at, sizeof value);
        at += sizeof value;
        return value;
    }

    std::string text() {
        uint32_t size = get<uint32_t>();
        if (static_cast<size_t>(end - at) < size) throw std::runtime_error("a record is too short");
        return std::string(at, at + size);
    }
};

void save(const std::string &path, const std::string &head, const uint8_t *bytes, size_t size, size_t of, size_t each) {
    std::ofstream out(path, std::ios::binary);
    out << head;
    for (size_t at = 0; at + of <= size; at += of) out.write(reinterpret_cast<const char *>(bytes + at), each);
    if (!out) throw std::runtime_error(path + ": not written");
}

void play(const std::vector<uint8_t> &file, const std::string &folder) {
    Memory memory;
    unsigned faults = 0;
    struct All {
        Memory &memory;
        unsigned &faults;
    } all{memory, faults};
    AfterimageGnmOptions options{};
    options.size = sizeof options;
    options.user = &all;
    options.name = "player";
    options.read = [](void *user, uint64_t address, void *out, size_t size) -> int {
        const uint8_t *from = static_cast<All *>(user)->memory.at(address, size);
        if (from) std::memcpy(out, from, size);
        return from != nullptr;
    };
    options.write = [](void *user, uint64_t address, const void *bytes, size_t size) -> int {
        return static_cast<All *>(user)->memory.write(address, bytes, size);
    };
    options.next_range = [](void *user, uint64_t address, AfterimageGnmRange *range) -> int {
        return static_cast<All *>(user)->memory.next(address, *range);
    };
    options.generation = [](void *user, uint64_t address, uint64_t size) {
        return static_cast<All *>(user)->memory.generation(address, size);
    };
    options.told = [](void *user, uint32_t, const char *text) {
        ++static_cast<All *>(user)->faults;
        std::fprintf(stderr, "%s\n", text);
    };
    AfterimageGnm *gnm;
    check(afterimage_gnm_create(AFTERIMAGE_GNM_VERSION, &options, &gnm), "create");

    if (file.size() < 8 || std::memcmp(file.data(), "GNMCAP01", 8) != 0) throw std::runtime_error("it is no recording");
    const uint8_t *at = file.data() + 8, *end = file.data() + file.size();
    while (end - at >= 8) {
        std::string tag(at, at + 4);
        uint32_t size;
        std::memcpy(&size, at + 4, 4);
        if (static_cast<size_t>(end - at - 8) < size) throw std::runtime_error("the recording ends within a record");
        Payload payload{at + 8, at + 8 + size};
        at += 8 + std::min<size_t>((size + 3) & ~3u, end - at - 8);
        if (tag == "END ") break;
        if (tag == "MEM ") {
            uint64_t address = payload.get<uint64_t>();
            size_t bytes = payload.end - payload.at;
            memory.map(address, bytes);
            memory.write(address, payload.at, bytes);
        } else if (tag == "MAP ") {
            uint64_t address = payload.get<uint64_t>();
            memory.map(address, payload.get<uint64_t>());
        } else if (tag == "SUBM") {
            uint32_t queue = payload.get<uint32_t>();
            payload.get<uint32_t>();
            uint64_t parts[4];
            for (uint64_t &part : parts) part = payload.get<uint64_t>();
            if (queue == AFTERIMAGE_GNM_GRAPHICS)
                check(afterimage_gnm_submit(gnm, parts[0], parts[1], parts[2], parts[3]), "submit");
            else
                check(afterimage_gnm_submit_compute(gnm, (queue - 1) / 8, (queue - 1) % 8, parts[0], parts[1]), "submit");
            check(afterimage_gnm_run(gnm, nullptr), "run");
        } else if (tag == "FLIP") {
            AfterimageGnmDisplay display{};
            display.address = payload.get<uint64_t>();
            for (uint32_t *field : {&display.width, &display.height, &display.pitch, &display.format, &display.tile_mode})
                *field = payload.get<uint32_t>();
            std::vector<uint8_t> rgba(size_t{4} * display.width * display.height);
            check(afterimage_gnm_flip(gnm, &display), "flip");
            check(afterimage_gnm_picture(gnm, &display, rgba.data(), rgba.size()), "picture");
            std::string head = "P6 " + std::to_string(display.width) + " " + std::to_string(display.height) + " 255\n";
            save(folder + "/" + payload.text() + ".ppm", head, rgba.data(), rgba.size(), 4, 3);
        } else if (tag == "DUMP") {
            uint64_t address = payload.get<uint64_t>(), bytes = payload.get<uint64_t>();
            check(afterimage_gnm_write_back(gnm, address, bytes), "write back");
            const uint8_t *from = memory.at(address, bytes);
            if (!from) throw std::runtime_error("a dump of what is not mapped");
            save(folder + "/" + payload.text() + ".bin", "", from, bytes, 1, 1);
        } else {
            throw std::runtime_error("an unknown record: " + tag);
        }
    }
    check(afterimage_gnm_destroy(gnm), "destroy");
    if (faults != 0) throw std::runtime_error(std::to_string(faults) + " things could not be done");
}

} // namespace

int main(int count, char **arguments) {
    if (count != 3) return std::fprintf(stderr, "usage: player RECORDING.gcap FOLDER\n"), 2;
    try {
        std::ifstream in(arguments[1], std::ios::binary);
        if (!in) throw std::runtime_error("it cannot be read");
        play({std::istreambuf_iterator<char>(in), {}}, arguments[2]);
    } catch (const std::exception &error) {
        return std::fprintf(stderr, "%s: %s\n", arguments[1], error.what()), 1;
    }
    return 0;
}
